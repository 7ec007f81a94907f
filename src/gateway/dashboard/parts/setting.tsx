import type { ComponentChildren } from 'preact'
import { Notice } from './notice.js'
import type { SettingNotice } from './settings-values.js'

interface SettingProps {
  /** Of the part of the page, as links lead to it. */
  readonly id: string
  readonly title: string
  /** What it is about, beside the form. */
  readonly about: ComponentChildren
  /** Said here where it is about this part. */
  readonly notice: SettingNotice | undefined
  readonly children: ComponentChildren
}

/** One thing that can be set: what it is about, and its form. */
export function Setting({ id, title, about, notice, children }: SettingProps) {
  return (
    <section class="card setting" id={id} aria-labelledby={`${id}-title`}>
      <div>
        <h3 id={`${id}-title`}>{title}</h3>
        <div class="about">{about}</div>
      </div>
      <div>
        {notice?.part === id && <Notice>{notice.text}</Notice>}
        {children}
      </div>
    </section>
  )
}
