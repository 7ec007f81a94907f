import type { KeySummary } from '../../keys/index.js'
import type { DashboardKeys, DashboardNetwork } from '../dashboard-services.js'

/** Returns the URL of a key, and the same URL with the key masked. */
export async function keyUrls(
  keys: Pick<DashboardKeys, 'show'>,
  key: KeySummary,
  { baseUrl }: Pick<DashboardNetwork, 'baseUrl'>,
): Promise<{ readonly url: string; readonly maskedUrl: string }> {
  const { text } = await keys.show(key.id)
  const base = baseUrl()
  return { url: `${base}/${text}`, maskedUrl: `${base}/${key.masked}` }
}
