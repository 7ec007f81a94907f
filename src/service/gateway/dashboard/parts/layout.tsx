import type { ComponentChildren } from 'preact'
import { type Product, supportLink } from '../product/product.js'
import { Form } from './form.js'
import { numberText, shareText } from './format.js'
import { usePage } from './page-context.js'
import { ThemeSwitch } from './theme-switch.js'

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
  readonly product: Product
  /** URL of the icon. */
  readonly favicon: string
  /** URL of the typeface. */
  readonly typeface: string
  /** URL of the image instead of the product's name; undefined without one. */
  readonly wordmark: string | undefined
  readonly referencePath: string
  /** URL of the style sheet. */
  readonly styles: string
  readonly scripts: readonly string[]
  readonly children: ComponentChildren
}

/** The HTML document of every page: head, header, content and footer. */
export function Layout(props: LayoutProps) {
  const { title, product, favicon, typeface, styles, scripts, children } = props
  const { theme } = usePage()
  return (
    <html lang="en" data-theme={theme}>
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="color-scheme" content={theme ?? 'light dark'} />
        <title>{title === product.name ? title : `${title} · ${product.name}`}</title>
        <link rel="icon" href={favicon} />
        <link rel="preload" href={typeface} as="font" type="font/woff2" crossorigin="anonymous" />
        <link rel="stylesheet" href={styles} />
        {scripts.map((src) => (
          <script type="module" src={src} key={src} />
        ))}
      </head>
      <body>
        <a class="skip" href="#main">
          Skip to content
        </a>
        <Header {...props} />
        <QuotaBanner />
        <main id="main">{children}</main>
        <Footer {...props} />
      </body>
    </html>
  )
}

function Footer({ product: { name, support, terms, guides }, referencePath }: LayoutProps) {
  return (
    <footer>
      <a href="/">{name}</a>
      <a href={referencePath}>Reference</a>
      {guides !== undefined && <a href={guides}>Guides</a>}
      <a href="/status">Status</a>
      <a href="/scope">What is left out</a>
      {support !== undefined && <a href={supportLink(support)}>Support</a>}
      {terms !== undefined && <a href={terms}>Terms</a>}
      <ThemeSwitch />
    </footer>
  )
}

/** The wordmark, or a sign with the name. */
function Brand({
  product: { name, wordmark: image },
  favicon,
  wordmark,
}: Pick<LayoutProps, 'product' | 'favicon' | 'wordmark'>) {
  return (
    <a class="brand" href="/">
      {image !== undefined && wordmark !== undefined ? (
        <img class="wordmark" src={wordmark} width={image.width} height={image.height} alt={name} />
      ) : (
        <>
          <img src={favicon} width={24} height={24} alt="" />
          {name}
        </>
      )}
    </a>
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

function Header(props: LayoutProps) {
  const { referencePath } = props
  const { user, isOperator, path } = usePage()
  const shown = navigation.filter(
    (entry) =>
      entry.for === 'everybody' ||
      (entry.for === 'own' && user !== undefined) ||
      (entry.for === 'operators' && isOperator),
  )
  return (
    <header class="top">
      <Brand {...props} />
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
            <a href={referencePath} aria-current={currentOf(referencePath, path)}>
              Reference
            </a>
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
