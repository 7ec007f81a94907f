import type { ComponentChildren } from 'preact'
import { Form } from './form.js'
import { numberText, shareText } from './format.js'
import { usePage } from './page-context.js'

/** A link of the header. */
interface NavigationEntry {
  readonly path: string
  readonly title: string
  /** Audience of the link. */
  readonly for: 'everybody' | 'own' | 'operators'
}

/** The links of the header. */
const navigation: readonly NavigationEntry[] = [
  { path: '/keys', title: 'Keys', for: 'own' },
  { path: '/usage', title: 'Usage', for: 'own' },
  { path: '/account', title: 'Account', for: 'own' },
  { path: '/status', title: 'Status', for: 'everybody' },
  { path: '/admin', title: 'Administration', for: 'operators' },
]

interface LayoutProps {
  readonly title: string
  /** The service's name. */
  readonly service: string
  readonly referencePath: string
  readonly styles: readonly string[]
  readonly scripts: readonly string[]
  readonly children: ComponentChildren
}

/** The HTML document of every page: head, header, content and footer. */
export function Layout({ title, service, referencePath, styles, scripts, children }: LayoutProps) {
  return (
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="color-scheme" content="light dark" />
        <title>{`${title} · ${service}`}</title>
        <link rel="icon" href="data:," />
        {styles.map((href) => (
          <link rel="stylesheet" href={href} key={href} />
        ))}
        {scripts.map((src) => (
          <script type="module" src={src} key={src} />
        ))}
      </head>
      <body>
        <a class="skip" href="#main">
          Skip to content
        </a>
        <Header service={service} referencePath={referencePath} />
        <QuotaBanner />
        <main id="main">{children}</main>
        <footer>
          <a href={referencePath}>Reference</a>
          <a href="/">{service}</a>
        </footer>
      </body>
    </html>
  )
}

/** Tells a user whose daily limit is spent or nearly spent. */
function QuotaBanner() {
  const { quota } = usePage()
  if (quota === undefined) return null
  const { used, limit } = quota
  const isSpent = used >= limit
  return (
    <aside class={`banner ${isSpent ? 'bad' : ''}`} aria-label="Daily limit">
      {isSpent
        ? `All ${numberText(limit)} requests of today are used. Calls are refused until 00:00 UTC. `
        : `${shareText(used, limit)} of today’s ${numberText(limit)} requests are used. `}
      <a href="/usage">Usage</a>
    </aside>
  )
}

function Header({ service, referencePath }: Pick<LayoutProps, 'service' | 'referencePath'>) {
  const { user, isOperator, path } = usePage()
  const shown = navigation.filter(
    (entry) =>
      entry.for === 'everybody' ||
      (entry.for === 'own' && user !== undefined) ||
      (entry.for === 'operators' && isOperator),
  )
  return (
    <header class="top">
      <a class="brand" href="/">
        {service}
      </a>
      <nav class="menu" aria-label="Pages">
        <ul>
          {shown.map((entry) => (
            <li key={entry.path}>
              <a href={entry.path} aria-current={currentOf(entry.path, path)}>
                {entry.title}
              </a>
            </li>
          ))}
          <li>
            <a href={referencePath}>Reference</a>
          </li>
        </ul>
      </nav>
      <div class="who">
        {user === undefined ? (
          <>
            <a href="/login" aria-current={currentOf('/login', path)}>
              Log in
            </a>
            <a class="button" href="/signup">
              Sign up
            </a>
          </>
        ) : (
          <>
            <span class="email">{user.email}</span>
            <Form action="/logout" class="inline">
              <button class="quiet" type="submit">
                Log out
              </button>
            </Form>
          </>
        )}
      </div>
    </header>
  )
}

/** Value of `aria-current`: `page` for the page itself, `true` for pages below it. */
function currentOf(entry: string, path: string): 'page' | 'true' | undefined {
  if (path === entry) return 'page'
  return path.startsWith(`${entry}/`) ? 'true' : undefined
}
