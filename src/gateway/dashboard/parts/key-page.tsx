import type { ComponentChildren } from 'preact'
import type { KeySummary } from '../../keys/key-summary.js'
import { keyTabs } from './navigation.js'

interface KeyPageProps {
  /** The key that the page is about. */
  readonly shown: KeySummary
  /** The title of its network. */
  readonly network: string
  /** The path of the tab, as {@link keyTabs} has it. */
  readonly tab: string
  readonly children: ComponentChildren
}

/** What every tab of a key's page has: the key's name and the tabs. */
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
          <span class="badge">{network}</span>
          {shown.state === 'disabled' && <span class="badge bad">disabled</span>}
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
        <p class="notice bad">Whoever runs the service has disabled this key: they alone can enable it.</p>
      )}
      {children}
    </>
  )
}
