import type { Page } from 'playwright-core'
import { send } from '../support/dashboard.js'
import { password } from '../support/visitor.js'
import type { DemoUsers, Person } from './demo-users.js'

/** What a screenshot shows: the page of a person, and what is done there first. */
export interface ScreenState {
  readonly person: Person
  readonly path: string | ((demo: DemoUsers) => string)
  /** Leads from the page at `path` to the state. */
  readonly act?: (page: Page) => Promise<unknown>
  /** True for a page of which only the window is shown, because its rest repeats the same parts. */
  readonly isLong?: boolean
  /** True if the state is a part of a page: only the window is shown, scrolled to that part. */
  readonly isPlace?: boolean
}

const charts = (page: Page) => page.waitForSelector('[data-live=latency-chart] canvas')
const ofKey =
  (key: keyof DemoUsers['keys'], rest = '') =>
  ({ keys }: DemoUsers) =>
    `/keys/${keys[key]}${rest}`
const ofAccount =
  (rest = '') =>
  ({ account }: DemoUsers) =>
    `${account}${rest}`

/** The states of the dashboard, the reference and the status page: each kind of page, empty, full and refused. */
export const screenStates: Readonly<Record<string, ScreenState>> = {
  landing: { person: 'visitor', path: '/' },
  status: { person: 'visitor', path: '/status' },
  'not-found': { person: 'visitor', path: '/keys/nothing/here' },
  'log-in': { person: 'visitor', path: '/login' },
  'log-in-refused': {
    person: 'visitor',
    path: '/login',
    act: async (page) => {
      await page.fill('#email', 'nobody@example.com')
      await page.fill('#password', 'not this one')
      await send(page)
    },
  },
  'sign-up': { person: 'visitor', path: '/signup' },
  'sign-up-refused': {
    person: 'visitor',
    path: '/signup',
    act: async (page) => {
      await page.fill('#email', 'ada@example.com')
      await page.fill('#password', 'passwordpassword')
      await send(page)
    },
  },
  reference: { person: 'visitor', path: '/docs', isLong: true },
  'reference-method': { person: 'busy', path: '/docs#method-eth_getBlockByNumber', isLong: true },
  'reference-nothing-found': {
    person: 'busy',
    path: '/docs',
    isLong: true,
    act: (page) => page.fill('#search', 'no such words'),
  },
  'keys-empty': { person: 'newcomer', path: '/keys' },
  keys: { person: 'busy', path: '/keys' },
  'keys-rename': { person: 'busy', path: ({ keys }) => `/keys?rename=${keys.busy}` },
  'new-key': { person: 'newcomer', path: '/keys/new' },
  'new-key-refused': {
    person: 'newcomer',
    path: '/keys/new',
    act: async (page) => {
      await page.fill('#name', 'a\u202eb')
      await send(page)
    },
  },
  setup: { person: 'quiet', path: ofKey('quiet') },
  'setup-disabled': { person: 'busy', path: ofKey('disabled', '?show=url') },
  'metrics-empty': { person: 'quiet', path: ofKey('quiet', '/metrics') },
  metrics: { person: 'busy', path: ofKey('busy', '/metrics?range=hour'), act: charts },
  'metrics-month': { person: 'busy', path: ofKey('busy', '/metrics?range=month'), act: charts },
  'failures-empty': { person: 'quiet', path: ofKey('quiet', '/failures') },
  failures: { person: 'busy', path: ofKey('busy', '/failures') },
  'failures-filtered': { person: 'busy', path: ofKey('busy', '/failures?kind=failed&code=-32005') },
  failure: {
    person: 'busy',
    path: ofKey('busy', '/failures?method=eth_getBalance'),
    act: (page) => follow(page, '[data-live=failures] a'),
  },
  networks: { person: 'busy', path: ofKey('busy', '/networks') },
  settings: { person: 'quiet', path: ofKey('quiet', '/settings') },
  'settings-refused': {
    person: 'quiet',
    isPlace: true,
    path: ofKey('quiet', '/settings'),
    act: async (page) => {
      await page.fill('textarea[name=addresses]', '10.0.0.0/8\nnonsense')
      await send(page)
    },
  },
  'settings-rotated': { person: 'busy', path: ofKey('rotated', '/settings') },
  rotate: { person: 'busy', path: ofKey('busy', '/rotate') },
  delete: { person: 'busy', path: ofKey('busy', '/delete') },
  tokens: { person: 'quiet', path: ofKey('quiet', '/tokens') },
  'tokens-refused': {
    person: 'quiet',
    path: ofKey('quiet', '/tokens'),
    act: async (page) => {
      await page.fill('textarea[name=jwtPublicKey]', 'nonsense')
      await send(page)
    },
  },
  'usage-empty': { person: 'newcomer', path: '/usage' },
  usage: { person: 'busy', path: '/usage', act: (page) => page.waitForSelector('canvas') },
  'usage-spent': { person: 'spent', path: '/usage', act: (page) => page.waitForSelector('canvas') },
  account: { person: 'busy', path: '/account' },
  'account-confirmed': { person: 'operator', path: '/account' },
  'account-refused': {
    person: 'newcomer',
    path: '/account',
    act: async (page) => {
      await page.fill('#current', 'not this one')
      await page.fill('#password', password)
      await send(page, 'form[action="/account/password"] button')
    },
  },
  'second-factor': {
    person: 'newcomer',
    path: '/account/second-factor',
    act: async (page) => {
      await page.fill('#setUpPassword', password)
      await send(page, 'form:has(#setUpPassword) button')
    },
  },
  accounts: { person: 'operator', path: '/admin' },
  'accounts-none': { person: 'operator', path: '/admin?q=nobody' },
  'account-of-user': { person: 'operator', path: ofAccount() },
  'account-failures': { person: 'operator', path: ofAccount('/failures') },
  'account-limits': { person: 'operator', path: ofAccount('/limits') },
  'account-disable': { person: 'operator', path: ofAccount('/disable') },
  nodes: { person: 'operator', path: '/admin/nodes' },
}

async function follow(page: Page, selector: string): Promise<void> {
  await page.click(selector)
  await page.waitForLoadState()
}
