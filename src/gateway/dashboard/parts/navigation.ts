/** A page that the header leads to. */
export interface NavigationEntry {
  readonly path: string
  readonly title: string
  /** Who sees it. */
  readonly for: 'everybody' | 'own' | 'operators'
}

/** The header's links, in their order. */
export const navigation: readonly NavigationEntry[] = [
  { path: '/keys', title: 'Keys', for: 'own' },
  { path: '/usage', title: 'Usage', for: 'own' },
  { path: '/account', title: 'Account', for: 'own' },
  { path: '/status', title: 'Status', for: 'everybody' },
  { path: '/admin', title: 'Administration', for: 'operators' },
]

/** A tab of the page of one key. */
export interface KeyTab {
  /** Below the key's own path; empty for the first. */
  readonly path: string
  readonly title: string
}

/** The tabs of the page of one key, in their order. */
export const keyTabs: readonly KeyTab[] = [
  { path: '', title: 'Setup' },
  { path: '/metrics', title: 'Metrics' },
  { path: '/networks', title: 'Networks' },
  { path: '/settings', title: 'Settings' },
]
