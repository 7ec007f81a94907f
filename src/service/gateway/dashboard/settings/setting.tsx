import type { ComponentChildren } from 'preact'

interface SettingProps {
  /** Fragment id within the page. */
  readonly id: string
  readonly title: string
  /** Explanation next to the fields. */
  readonly about: ComponentChildren
  readonly children: ComponentChildren
}

/** One setting or action: its explanation, and its fields or buttons. */
export function Setting({ id, title, about, children }: SettingProps) {
  return (
    <section class="card setting" id={id} aria-labelledby={`${id}-title`}>
      <div>
        <h2 id={`${id}-title`}>{title}</h2>
        <div class="about">{about}</div>
      </div>
      <div>{children}</div>
    </section>
  )
}
