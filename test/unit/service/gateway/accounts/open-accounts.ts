import { join } from 'node:path'
import { limits } from '../../../../../generated/contract.js'
import { createAccounts, mailSecurityEvents } from '../../../../../src/service/gateway/accounts/index.js'
import { openStore } from '../../../../../src/service/gateway/index.js'
import { createSecurityLog } from '../../../../../src/service/gateway/security-log/index.js'
import { createSecret, type Store } from '../../../../../src/service/gateway/store/index.js'
import { temporaryFolder } from '../../../../support/temporary-folder.js'
import { newClientAddress } from '../../../../support/visitor.js'

const origin = 'http://dashboard.example'

/** A browser for the accounts: keeps cookies, and has an address. */
export interface Browser {
  readonly address: string
  readonly headers: { cookie: string; readonly origin: string; readonly 'user-agent': string }
  /** Takes the cookies of an outcome, and returns the outcome. */
  keep<Outcome extends object>(outcome: Outcome): Outcome
}

/** Creates a browser without cookies. */
export function createBrowser(address = newClientAddress()): Browser {
  const cookies = new Map<string, string>()
  const headers = { cookie: '', origin, 'user-agent': 'a test' }
  return {
    address,
    headers,
    keep(outcome) {
      const { setCookies = [] } = outcome as { readonly setCookies?: readonly string[] }
      for (const line of setCookies) {
        const [pair = ''] = line.split(';')
        const at = pair.indexOf('=')
        if (/max-age=0/i.test(line)) cookies.delete(pair.slice(0, at))
        else cookies.set(pair.slice(0, at), pair.slice(at + 1))
      }
      headers.cookie = [...cookies].map(([name, value]) => `${name}=${value}`).join('; ')
      return outcome
    },
  }
}

type Test = { teardown: (work: () => unknown) => void }

/**
 * Opens accounts on a database, and collects their mails.
 * @param given a database; by default a new embedded one
 * @param isMailed false for a service without mail
 */
export async function openAccounts(t: Test, given?: Store, isMailed = true) {
  const store = given ?? (await openStore({ dataDir: join(await temporaryFolder(t), 'data') }))
  const mails: { readonly to: string; readonly subject: string; readonly text: string }[] = []
  const onError = (error: unknown) => {
    throw error
  }
  const mailing = {
    db: store.db,
    origin: () => origin,
    sendMail: isMailed
      ? async (to: string, subject: string, text: string) => {
          mails.push({ to, subject, text })
        }
      : undefined,
    onError,
  }
  const securityLog = mailSecurityEvents(createSecurityLog(store.db, limits, onError), mailing)
  const accounts = createAccounts({
    ...mailing,
    secret: createSecret('a secret of these tests, long enough to be one'),
    limits,
    issuer: 'Test',
    ownOrigins: () => [origin],
    showResetLink: undefined,
    operators: () => [],
    deleteKeys: async () => undefined,
    flushCounts: async () => undefined,
    securityLog,
  })
  t.teardown(async () => {
    await accounts.close()
    await securityLog.close()
    if (given === undefined) await store.close()
  })
  return {
    accounts,
    store,
    mails,
    securityLog,
    /** The token of the newest link to an address. */
    async link(to: string): Promise<string> {
      await accounts.close()
      const { text = '' } = mails.findLast((mail) => mail.to === to && mail.text.includes('token=')) ?? {}
      return /token=(\S+)/.exec(text)?.[1] ?? ''
    },
    /** The user of a browser. */
    async user(browser: Browser) {
      const found = await accounts.session(browser)
      if (found === undefined) throw new TypeError('the browser has no session')
      return found.user
    },
  }
}

/** Accounts that {@link openAccounts} opened. */
export type OpenAccounts = Awaited<ReturnType<typeof openAccounts>>
