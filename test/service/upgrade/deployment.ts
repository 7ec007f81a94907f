import { mkdir, readlink, symlink, writeFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import type { Test } from 'tap'
import { freePort } from '../../support/free-port.js'
import type { CommandOutcome, ShellBlock } from '../../support/guide.js'
import { startShippedHaproxy } from '../../support/haproxy.js'
import { type RunningService, startService } from '../../support/service.js'

/** A machine with the service, as the operator's guide describes it. */
export interface Machine {
  readonly origin: string
  readonly metrics: string
  /** Runs commands of the guide on the machine. */
  run(
    block: ShellBlock | undefined,
    places: Readonly<Record<string, string | number>>,
  ): Promise<CommandOutcome>
  /** Starts the version at a path. */
  install(version: string): Promise<void>
  /** Kills the service, and starts it again on its data folder. */
  crash(): Promise<void>
  stop(): Promise<number | null>
}

/** Machines behind HAProxy with the shipped file. */
export interface Deployment {
  readonly machines: readonly [Machine, Machine]
  readonly balancer: string
  /** The configuration file of all machines. */
  readonly config: string
  /** Replaces the settings, which the next start of each machine reads. */
  configure(settings: readonly string[]): Promise<void>
  /** Stops every service. */
  stop(): Promise<void>
}

/**
 * Prepares two machines. Their service manager is this process: the shell function `systemctl` asks it for a restart.
 * @param settings lines of the configuration file
 * @param env variables that the settings refer to
 */
export async function createDeployment(
  t: Test,
  folder: string,
  settings: readonly string[],
  env: Readonly<Record<string, string>> = {},
): Promise<Deployment> {
  await mkdir(folder)
  const config = join(folder, 'concordat.yaml')
  const configure = (lines: readonly string[]) => writeFile(config, `${lines.join('\n')}\n`)
  await configure(settings)
  const machines: [Machine, Machine] = [
    await createMachine(t, join(folder, 'a'), config, env),
    await createMachine(t, join(folder, 'b'), config, env),
  ]
  return {
    machines,
    config,
    configure,
    balancer: await startShippedHaproxy(t, machines),
    async stop() {
      for (const machine of machines) await machine.stop()
    },
  }
}

async function createMachine(
  t: Test,
  folder: string,
  config: string,
  env: Readonly<Record<string, string>>,
): Promise<Machine> {
  await mkdir(folder)
  const port = await freePort()
  const metricsPort = await freePort()
  const link = join(folder, 'concordat')
  let running: Promise<RunningService> | undefined
  const start = async () => {
    const launcher = join(await readlink(link), 'bin', 'concordat.js')
    const args = ['--config', config, '--port', String(port)]
    const all = { ...env, CONCORDAT_METRICS_PORT: String(metricsPort) }
    return startService({ launcher, command: 'serve', data: join(folder, 'data'), args, env: all })
  }
  const stop = async (signal?: NodeJS.Signals) => (await running)?.stop(signal) ?? null
  t.teardown(() => stop('SIGKILL'))
  const manager = createServer(async ({ url }, response) => {
    if (url !== '/restart/concordat') return response.writeHead(404).end()
    await stop()
    // As with systemd, the command ends before the service is ready.
    running = start()
    running.catch(() => undefined)
    return response.end()
  }).listen(0, '127.0.0.1')
  await new Promise((resolve) => manager.once('listening', resolve))
  t.teardown(() => manager.close())
  const managerPort = (manager.address() as AddressInfo).port
  return {
    origin: `http://127.0.0.1:${port}`,
    metrics: `http://127.0.0.1:${metricsPort}/metrics`,
    async run(block, places) {
      if (block === undefined) throw new TypeError('the guide has no such commands')
      const isLinked = /\/opt\/concordat\s/.test(block.text)
      const isProbed = block.text.includes('8080')
      return block.run({
        cwd: folder,
        places: {
          ...places,
          ...(isLinked ? { '/opt/concordat': link } : {}),
          ...(isProbed ? { 8080: port } : {}),
        },
        functions: `systemctl() { curl --silent --fail "http://127.0.0.1:${managerPort}/$1/$2"; }`,
      })
    },
    async install(version) {
      await symlink(version, link)
      running = start()
      await running
    },
    async crash() {
      await stop('SIGKILL')
      running = start()
      await running
    },
    stop: () => stop(),
  }
}
