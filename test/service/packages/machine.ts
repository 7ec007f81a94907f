import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Test } from 'tap'
import { freePort } from '../../support/free-port.js'
import { openGuide, startCommands } from '../../support/guide.js'
import { startHeldNode } from '../../support/held-node.js'
import { call } from '../../support/service.js'
import { sharedPostgres } from '../../support/shared-postgres.js'
import { temporaryFolder } from '../../support/temporary-folder.js'

/** The value of a setting of a systemd unit. */
const settingOf = (unit: string, name: string) => new RegExp(`^${name}=(.*)$`, 'm').exec(unit)?.[1] ?? ''

/** Starts what a unit says: its command with its variables, in the working folder of systemd. */
function startUnit(unit: string, environment: string, port: number) {
  const variables = [...environment.trim().split('\n'), settingOf(unit, 'Environment')].map((line) => [
    line.slice(0, line.indexOf('=')),
    line.slice(line.indexOf('=') + 1).replace(/^'(.*)'$/, '$1'),
  ])
  const command = settingOf(unit, 'ExecStart').replace('/usr/bin/node', process.execPath)
  const env = { ...Object.fromEntries(variables), CONCORDAT_PORT: `${port}` }
  return startCommands(`exec ${command}`, { cwd: '/', env })
}

/**
 * Follows the guide from the archives to the systemd unit, and upgrades it.
 * @param installed a folder in which npm has installed the archives
 */
export async function followInstallation(t: Test, installed: string): Promise<void> {
  const guide = await openGuide('docs/operator.md', ['Install on a machine'])
  const [install, set, create] = guide.commands()
  const [settings = ''] = guide.code('Install on a machine', 'yaml')
  const root = await temporaryFolder(t)
  const at = (path: string) => join(root, path)
  for (const folder of ['/opt', '/etc/systemd/system', '/usr/local/bin', '/var/lib/concordat'])
    await mkdir(at(folder), { recursive: true })
  const node = await startHeldNode({ eth_chainId: '0x1f', eth_blockNumber: '0x97f' })
  t.teardown(() => node.close())
  const env = { DATABASE_URL: await (await sharedPostgres()).createDatabase('machine'), ROOT: root }
  // The archives are installed already, which takes minutes.
  const functions = `
    npm() { test "$*" = "install --prefix $3 ./release/*.tgz" && cp -a '${installed}/node_modules' "$3"; }
    useradd() { test "$*" = '--system --shell /usr/sbin/nologin concordat'; }
    systemctl() { echo "systemctl $*"; }
    runuser() { shift 3; env PATH="$ROOT/usr/local/bin:$PATH" "$@"; }`
  const machine = { cwd: root, env, functions }
  const opt = { '/opt/concordat': at('/opt/concordat') }
  const etc = { '/etc/concordat': at('/etc/concordat') }
  t.match(await install?.run({ ...machine, places: { ...opt, '/usr/local': at('/usr/local') } }), { code: 0 })
  const adapted = settings
    .replace('/var/lib/concordat', at('/var/lib/concordat'))
    .replace(/http:\/\/127\.0\.0\.1:4444/, node.url)
  await writeFile(at('concordat.yaml'), adapted)
  const configured = await set?.run({
    ...machine,
    places: { ...etc, '/opt/concordat': at('/opt/concordat'), '/etc/systemd': at('/etc/systemd') },
  })
  t.match(configured, { code: 0, out: 'systemctl daemon-reload\nsystemctl enable --now concordat\n' })

  const unit = (await readFile(at('/etc/systemd/system/concordat.service'), 'utf8'))
    .replaceAll('/opt/concordat', at('/opt/concordat'))
    .replaceAll('/etc/concordat', at('/etc/concordat'))
  const environment = await readFile(at('/etc/concordat/environment'), 'utf8')
  const port = await freePort()
  const start = async () => {
    const started = startUnit(unit, environment, port)
    t.teardown(() => started.stop())
    await started.said(/"urls":/)
    return started
  }
  const first = await start()
  const created = await create?.run({ ...machine, env: { ROOT: root }, places: etc })
  t.equal(created?.code, 0, created?.output ?? '')
  const { pathname } = new URL(/http:\S+/.exec(created?.output ?? '')?.[0] ?? '')
  const url = `http://127.0.0.1:${port}${pathname}`
  t.equal(await call(url, 'eth_blockNumber'), '0x97f')

  // The upgrade of the guide: another folder, the link, a restart.
  const next = at('/opt/concordat-1.1.0/node_modules/concordat')
  const upgrade = `cp -a ${at('/opt/concordat-1.0.0')} ${at('/opt/concordat-1.1.0')}
    ln -sfn ${next} ${at('/opt/concordat')}`
  t.match(await startCommands(upgrade, machine).ended, { code: 0 })
  t.equal((await first.stop()).code, 0)
  await start()
  t.equal(await call(url, 'eth_blockNumber'), '0x97f', 'after the upgrade')
}
