import type { ComponentChildren } from 'preact'
import { Form } from './form.js'

interface ConfirmationProps {
  readonly title: string
  /** What comes of it. */
  readonly text: string
  /** Path that the form is sent to. */
  readonly action: string
  readonly button: string
  /** True for what takes something away. */
  readonly isDanger: boolean
  /** Path of the page to go back to. */
  readonly back: string
  /** Where it stands among the pages. */
  readonly crumbs?: ComponentChildren
  /** What is at stake. */
  readonly children?: ComponentChildren
}

/** Asks once more before something is done. */
export function Confirmation(props: ConfirmationProps) {
  const { title, text, action, button, isDanger, back, crumbs, children } = props
  return (
    <section class="narrow">
      {crumbs && <p class="crumbs">{crumbs}</p>}
      <h1>{title}</h1>
      <p>{text}</p>
      {children}
      <Form action={action} class="actions">
        <button class={isDanger ? 'danger' : undefined} type="submit">
          {button}
        </button>
        <a href={back}>Cancel</a>
      </Form>
    </section>
  )
}
