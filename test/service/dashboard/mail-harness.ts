/** What the parts of `dashboard-mail.test.ts` share: a service with mail, as in production, and its mail server. */
import { rename, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import t from 'tap'
import { startMailServer } from '../../support/mail-server.js'
import { startService } from '../../support/service.js'
import { temporaryFolder } from '../../support/temporary-folder.js'
import { separateVisitors } from '../../support/visitor.js'

export const operatorAddress = 'operator@example.com'
export const publicOrigin = 'http://dashboard.example'
export const server = await startMailServer()
t.teardown(() => server.close())
const file = join(await temporaryFolder(t), 'concordat.yaml')

/** Writes the list of operators to the service's configuration file. */
export async function configure(operators: readonly string[]): Promise<void> {
  await writeFile(`${file}.new`, JSON.stringify({ operators }))
  await rename(`${file}.new`, file)
}

await configure([operatorAddress, 'second@example.com'])
export const service = await startService({
  command: 'serve',
  isChainless: true,
  args: ['--config', file],
  env: {
    ...separateVisitors,
    CONCORDAT_SMTP_URL: server.url,
    CONCORDAT_PUBLIC_URL_DASHBOARD: publicOrigin,
  },
})
t.teardown(() => service.stop())
export const { origin } = service
