import type { ComponentChildren } from 'preact'
import { Notice } from '../parts/notice.js'
import type { SettingNotice } from './settings-values.js'

interface SettingProps {
  /** Fragment id within the page. */
  readonly id: string
  readonly title: string
  /** Explanation next to the form. */
  readonly about: ComponentChildren
  /** Notice of the page, which is shown here if it belongs to this setting. */
  readonly notice: SettingNotice | undefined
  readonly children: ComponentChildren
}

/** One setting: its explanation and form. */
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
