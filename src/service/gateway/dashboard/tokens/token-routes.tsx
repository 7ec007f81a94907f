import type { KeySummary } from '../../keys/index.js'
import { type Answer, page, redirect } from '../answer.js'
import type { DashboardServices } from '../dashboard-services.js'
import { problemsOf } from '../keys/problems-of.js'
import { networkTitle } from '../one-key/network-title.js'
import { ownKey } from '../one-key/own-key.js'
import type { FormProblems } from '../parts/form.js'
import { refusedChange } from '../refused-change.js'
import type { Routes } from '../routes.js'
import type { OwnVisit } from '../visit.js'
import { type JwtKeyValues, KeyTokensPage } from './key-tokens-page.js'

/** Confirmations by what was done. */
const notices: Readonly<Record<string, string>> = {
  registered: 'Public key registered. Each call now needs a token.',
  removed: 'Public key removed.',
}
const refused = 400
/** Texts with parts of private keys: PEM, and members of JWKs (RFC 7518, sections 6.2.2, 6.3.2 and 6.4). */
const privateText = /PRIVATE KEY|"(?:d|p|q|dp|dq|qi|oth|k)"\s*:/

/** Adds the tab with the public keys for tokens, and its forms. */
export function addTokenRoutes({ own }: Routes, { keys, networks, limits }: DashboardServices): void {
  const show = (
    { done }: OwnVisit,
    key: KeySummary,
    again?: { readonly values?: JwtKeyValues; readonly problems: FormProblems },
  ) =>
    page(
      `Tokens of ${key.name}`,
      <KeyTokensPage
        shown={key}
        network={networkTitle(networks, key.network)}
        limits={limits}
        notice={notices[done]}
        {...again}
      />,
      { ...(again && { status: refused }) },
    )

  own.get('/keys/:id/tokens', async (visit) => show(visit, await ownKey(keys, visit)))
  own.post('/keys/:id/tokens', async (visit): Promise<Answer> => {
    const { form } = visit
    const key = await ownKey(keys, visit)
    const values: JwtKeyValues = {
      jwtPublicKey: form('jwtPublicKey'),
      jwtId: form('jwtId').trim(),
      jwtAlgorithm: form('jwtAlgorithm'),
      jwtAudience: form('jwtAudience').trim(),
    }
    const { jwtPublicKey: publicKey, jwtId, jwtAlgorithm: algorithm, jwtAudience: audience } = values
    const error = await refusedChange(() =>
      keys.addJwtKey(key.id, {
        id: jwtId || kidOf(publicKey),
        publicKey,
        ...(algorithm === '' ? {} : { algorithm }),
        ...(audience === '' ? {} : { audience }),
      }),
    )
    if (error === undefined) return redirect(`/keys/${key.id}/tokens`, 'registered')
    // A private key must not be in a page, where others may see it and browsers keep it.
    const shown = privateText.test(publicKey) ? { ...values, jwtPublicKey: '' } : values
    return show(visit, key, { values: shown, problems: problemsOf(error) })
  })
  own.post('/keys/:id/tokens/remove', async (visit): Promise<Answer> => {
    const key = await ownKey(keys, visit)
    const error = await refusedChange(() => keys.removeJwtKey(key.id, visit.form('jwtId')))
    if (error !== undefined) return show(visit, key, { problems: problemsOf(error) })
    return redirect(`/keys/${key.id}/tokens`, 'removed')
  })
}

/** Returns the `kid` of a JWK (RFC 7517, section 4.5); empty for other texts. */
function kidOf(publicKey: string): string {
  try {
    const { kid } = JSON.parse(publicKey) as { readonly kid?: unknown }
    return typeof kid === 'string' ? kid : ''
  } catch {
    return ''
  }
}
