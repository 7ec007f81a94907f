import type { ComponentChildren } from 'preact'
import { Form } from './form.js'

interface ConfirmationProps {
  readonly title: string
  /** Consequences of the action. */
  readonly text: string
  /** Path of the form. */
  readonly action: string
  readonly button: string
  /** True for destructive actions. */
  readonly isDanger: boolean
  /** Path of the page to go back to. */
  readonly back: string
  /** Breadcrumbs. */
  readonly crumbs?: ComponentChildren
  /** Choices of the form. */
  readonly fields?: ComponentChildren
  /** Details of the affected object. */
  readonly children?: ComponentChildren
}

/** A page that asks for confirmation. */
export function Confirmation(props: ConfirmationProps) {
  const { title, text, action, button, isDanger, back, crumbs, fields, children } = props
  return (
    <section class="narrow">
      {crumbs && <p class="crumbs">{crumbs}</p>}
      <h1>{title}</h1>
      <p>{text}</p>
      {children}
      <Form action={action}>
        {fields}
        <div class="actions">
          <button class={isDanger ? 'danger' : undefined} type="submit">
            {button}
          </button>
          <a href={back}>Cancel</a>
        </div>
      </Form>
    </section>
  )
}
