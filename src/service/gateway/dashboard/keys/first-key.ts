import { OperatorError } from '../../util/index.js'
import type { DashboardServices } from '../dashboard-services.js'

/** Name of the key that a sign-up makes. */
const name = 'First key'

/**
 * Makes the first key of a new account, for the first network.
 * @returns path of the page that shows its URL; that of the keys if the account has some, or may have none
 */
export async function makeFirstKey(
  { keys, networks }: Pick<DashboardServices, 'keys' | 'networks'>,
  userId: string,
): Promise<string> {
  const [network] = networks.keys()
  if (network === undefined || (await keys.list({ userId })).length > 0) return '/keys'
  const details = { name, description: '', useCase: '', nodeService: '' }
  try {
    const { key } = await keys.create({ user: { id: userId }, network, ...details })
    return `/keys/${key.id}?show=url`
  } catch (error) {
    if (error instanceof OperatorError && error.code === 'key_limit_reached') return '/keys'
    throw error
  }
}
