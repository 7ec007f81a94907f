import { createContext } from 'preact'
import { useContext } from 'preact/hooks'
import type { SignedIn } from '../../accounts/account.js'

/** What the parts of every page may need to know of the request. */
export interface PageContextValue {
  /** The token that a form of this page has to carry. */
  readonly csrf: () => string
  readonly user: SignedIn | undefined
  readonly isOperator: boolean
  /** The path of the page. */
  readonly path: string
}

/** Given around each page. */
export const PageContext = createContext<PageContextValue>({
  csrf: () => '',
  user: undefined,
  isOperator: false,
  path: '/',
})

/** The request's own, within any part of a page. */
export const usePage = () => useContext(PageContext)
