import type { ComponentChildren } from 'preact'
import type { KeySummary } from '../../keys/index.js'
import { Badge } from '../parts/state.js'

/** A tab of the page of one key. */
interface KeyTab {
  /** Path below that of the key; empty for the first tab. */
  readonly path: string
  readonly title: string
}

/** The tabs of the page of one key. */
const keyTabs: readonly KeyTab[] = [
  { path: '', title: 'Setup' },
  { path: '/metrics', title: 'Metrics' },
  { path: '/failures', title: 'Failures' },
  { path: '/networks', title: 'Networks' },
  { path: '/settings', title: 'Settings' },
  { path: '/tokens', title: 'Tokens' },
]

interface KeyPageProps {
  readonly shown: KeySummary
  /** Title of the key's network. */
  readonly network: string
  /** Path of the tab in `keyTabs`. */
  readonly tab: string
  readonly children: ComponentChildren
}

/** The frame of every tab of a key: name, badges and tabs. */
export function KeyPage({ shown, network, tab, children }: KeyPageProps) {
  const base = `/keys/${shown.id}`
  return (
    <>
      <p class="crumbs">
        <a href="/keys">Keys</a>
      </p>
      <div class="heading">
        <h1>{shown.name}</h1>
        <p>
          <code>{shown.masked}</code>
          <Badge>{network}</Badge>
          {shown.state === 'disabled' && <Badge tone="bad">disabled</Badge>}
        </p>
      </div>
      {shown.description !== '' && <p class="muted">{shown.description}</p>}
      <nav class="menu tabs" aria-label="About this key">
        <ul>
          {keyTabs.map(({ path, title }) => (
            <li key={path}>
              <a href={`${base}${path}`} aria-current={path === tab ? 'page' : undefined}>
                {title}
              </a>
            </li>
          ))}
        </ul>
      </nav>
      {shown.disabledByOperator && (
        <p class="notice bad">An operator has disabled this key. Only an operator can enable it.</p>
      )}
      {children}
    </>
  )
}
