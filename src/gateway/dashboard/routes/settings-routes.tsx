import { methods } from '../../../../generated/methods.js'
import type { KeySummary } from '../../keys/key-summary.js'
import { OperatorError } from '../../store/operator-error.js'
import { type Answer, page, redirect } from '../answer.js'
import { changeKey } from '../change-key.js'
import type { AllowListName, DashboardServices } from '../dashboard-services.js'
import { problemOf } from '../key-problems.js'
import { networkTitle } from '../network-title.js'
import { ownKey } from '../own-key.js'
import { KeySettingsPage } from '../pages/key-settings.js'
import type { FormProblems } from '../parts/form.js'
import { readDetails } from '../parts/key-fields.js'
import { type SettingNotice, type SettingsValues, settingsOf } from '../parts/settings-values.js'
import type { Routes } from '../routes.js'
import type { OwnVisit } from '../visit.js'

const listNotice = (list: AllowListName) => ({ part: `allow-${list}`, text: 'Saved: the list is in force.' })
/** What is said of something that was done, by its word in the path. */
const notices = {
  details: { part: 'details', text: 'Saved.' },
  limits: { part: 'limits', text: 'Saved: the limits are in force.' },
  addresses: listNotice('addresses'),
  origins: listNotice('origins'),
  contracts: listNotice('contracts'),
  methods: listNotice('methods'),
  registered: { part: 'tokens', text: 'The public key is registered: each call needs a token now.' },
  removed: { part: 'tokens', text: 'The public key is removed.' },
  disabled: { part: 'state', text: 'The key is disabled: calls with it are refused.' },
  enabled: { part: 'state', text: 'The key is enabled: its URL works.' },
} as const satisfies Readonly<Record<string, SettingNotice>>
type Done = keyof typeof notices
const isDone = (word: string): word is Done => Object.hasOwn(notices, word)
/** Leads to the part of a key's settings where something was done, and has it said there. */
export const settingDone = (id: string, done: Done): Answer =>
  redirect(`/keys/${id}/settings?done=${done}#${notices[done].part}`)

const methodNames = Object.values(methods).map(({ name }) => name)
const lineLists = ['addresses', 'origins', 'contracts'] as const
const refused = 400

/** Adds the settings of a key: the page, and a form for each thing that can be set. */
export function addSettingsRoutes({ own }: Routes, services: DashboardServices): void {
  const { keys, networks, limits } = services
  const show = (
    { query, request }: OwnVisit,
    key: KeySummary,
    again?: { readonly typed: Partial<SettingsValues>; readonly problems: FormProblems },
  ) => {
    const done = query('done')
    return page(
      `Settings of ${key.name}`,
      <KeySettingsPage
        shown={key}
        network={networkTitle(networks, key.network)}
        limits={limits}
        values={{ ...settingsOf(key), ...again?.typed }}
        problems={again?.problems}
        notice={isDone(done) ? notices[done] : undefined}
        clientAddress={request.ip}
      />,
      { styles: ['settings.css'], ...(again === undefined ? {} : { status: refused }) },
    )
  }
  /** Adds a form: what is typed in it, what that changes, and the field that a refusal without a name is about. */
  const form = <Typed extends Partial<SettingsValues>>(
    path: string,
    read: (form: OwnVisit['form']) => Typed,
    change: (id: string, typed: Typed) => Promise<unknown>,
    done: Done,
    field?: string,
  ) =>
    own.post(`/keys/:id/settings/${path}`, async (visit): Promise<Answer> => {
      const key = await ownKey(keys, visit)
      const typed = read(visit.form)
      const problem = await changeKey(() => change(key.id, typed))
      if (problem !== undefined) return show(visit, key, { typed, problems: problemOf(problem, field) })
      return settingDone(key.id, done)
    })

  own.get('/keys/:id/settings', async (visit) => show(visit, await ownKey(keys, visit)))
  form('details', readDetails, (id, typed) => keys.set(id, typed), 'details')
  form(
    'limits',
    (value) => ({ dailyLimit: value('dailyLimit').trim(), monthlyLimit: value('monthlyLimit').trim() }),
    (id, { dailyLimit, monthlyLimit }) =>
      keys.set(id, { dailyLimit: limitOf(dailyLimit), monthlyLimit: limitOf(monthlyLimit) }),
    'limits',
  )
  const setList = (id: string, list: AllowListName, entries: readonly string[]) =>
    keys.set(id, { access: { [list]: entries.length === 0 ? null : entries } })
  for (const list of lineLists)
    form(
      list,
      (value) => ({ [list]: value(list) }) as Partial<SettingsValues>,
      (id, typed) => setList(id, list, entriesOf(typed[list] ?? '')),
      list,
      list,
    )
  form(
    'methods',
    (value) => ({
      methodChoice: value('methodChoice'),
      methods: methodNames.filter((name) => value(`method-${name}`) !== ''),
    }),
    async (id, { methodChoice, methods: chosen }) => {
      if (methodChoice === 'all') return setList(id, 'methods', [])
      if (chosen.length > 0) return setList(id, 'methods', chosen)
      throw new OperatorError('invalid_input', 'Choose at least one method, or allow every one')
    },
    'methods',
    'methods',
  )
  form(
    'tokens',
    (value) => ({
      jwtPublicKey: value('jwtPublicKey'),
      jwtId: value('jwtId').trim(),
      jwtAlgorithm: value('jwtAlgorithm'),
      jwtAudience: value('jwtAudience').trim(),
    }),
    (id, { jwtPublicKey: publicKey, jwtId, jwtAlgorithm: algorithm, jwtAudience: audience }) =>
      keys.addJwtKey(id, {
        id: jwtId || kidOf(publicKey),
        publicKey,
        ...(algorithm === '' ? {} : { algorithm }),
        ...(audience === '' ? {} : { audience }),
      }),
    'registered',
  )
  form(
    'tokens/remove',
    (value) => ({ jwtId: value('jwtId') }),
    (id, { jwtId }) => keys.removeJwtKey(id, jwtId),
    'removed',
  )
}

/** Entries are parted by lines, commas or spaces: none of them holds any. */
const entriesOf = (text: string) => text.split(/[\s,]+/).filter((entry) => entry !== '')

/** A limit as it is typed, also with marks between its thousands; keys refuse what is no number. */
function limitOf(text: string): number | null {
  if (text === '') return null
  const plain = text.replace(/(?<=\d)[, ](?=\d{3}\b)/g, '')
  return /^\d+$/.test(plain) ? Number(plain) : Number.NaN
}

/** What a JWK calls itself (RFC 7517, 4.5); empty for what is none. */
function kidOf(publicKey: string): string {
  try {
    const { kid } = JSON.parse(publicKey) as { readonly kid?: unknown }
    return typeof kid === 'string' ? kid : ''
  } catch {
    return ''
  }
}
