import { readFileSync } from 'node:fs'
import { setTimeout as delay } from 'node:timers/promises'
import { freePort } from '../../test/support/free-port.js'
import { type RunningService, type StartOptions, startService } from '../../test/support/service.js'
import { until } from '../../test/support/until.js'
import type { Scope } from './scope.js'

/** A replica of the service under a supervisor. */
export interface Replica {
  readonly origin: string
  readonly port: number
  /** Port of its metrics, which HAProxy checks. */
  readonly metricsPort: number
  /** Number of restarts by the supervisor after unexpected exits. */
  readonly restarts: number
  /** Process id; undefined while the replica is not running. */
  readonly pid: number | undefined
  /**
   * Returns true if the replica reports that it is ready within two seconds.
   * @param slowness slowdown factor of this machine, which extends the timeout
   */
  isReady(slowness: number): Promise<boolean>
  signal(signal: NodeJS.Signals): void
  /** Stops the replica and starts it with other options, as an operator does. */
  restart(changes: Partial<StartOptions>): Promise<void>
  stop(): Promise<void>
}

const unit = readFileSync(new URL('../../deploy/concordat.service', import.meta.url), 'utf8')
const ofUnit = (name: string) => new RegExp(`^${name}=(.*)$`, 'm').exec(unit)?.[1] ?? ''
/** Pause before a restart, in milliseconds. */
const pause = Number(ofUnit('RestartSec')) * 1_000
/** True if the unit restarts the service after an exit with this code; null for a signal. */
const isRestarted = (code: number | null) =>
  ofUnit('Restart') === 'always' || (ofUnit('Restart') === 'on-failure' && code !== 0)

/**
 * Starts a replica with a supervisor that restarts it as systemd does with `deploy/concordat.service`: after each exit
 * with an error or by a signal, with a pause and without a limit.
 */
export async function startReplica(t: Scope, options: StartOptions): Promise<Replica> {
  const metricsPort = await freePort()
  const withMetrics = ({ env, ...others }: StartOptions): StartOptions => ({
    ...others,
    env: { ...env, CONCORDAT_METRICS_PORT: `${metricsPort}` },
  })
  const comment = (error: unknown) =>
    t.comment(
      `start with the metrics port ${metricsPort}: ${String(error).split('\n').slice(0, 3).join(' ')}`,
    )
  const first: RunningService = await until(() =>
    startService(withMetrics(options)).catch((error: unknown) => {
      comment(error)
      return undefined
    }),
  )
  let current: RunningService | undefined = first
  const port = Number(new URL(first.origin).port)
  let wanted = options
  let restarts = 0
  let isStopping = false
  let starting: Promise<void> = Promise.resolve()

  const start = async () => {
    while (!isStopping) {
      try {
        const args = [...(wanted.args ?? []), '--port', `${port}`]
        current = await startService({ ...withMetrics(wanted), args })
        watch(current)
        return
      } catch (error) {
        // The service has exited with an error, for example because its database is unreachable.
        comment(error)
        await delay(pause)
      }
    }
  }
  const watch = (service: RunningService) => {
    service.process.once('exit', (code) => {
      if (current !== service) return
      current = undefined
      if (isStopping || !isRestarted(code)) return
      restarts += 1
      starting = delay(pause).then(start)
    })
  }
  watch(first)
  const stopCurrent = async () => {
    await starting
    const service = current
    current = undefined
    await service?.stop()
  }
  const stop = async () => {
    isStopping = true
    current?.process.kill('SIGCONT')
    await stopCurrent()
  }
  t.teardown(stop)
  return {
    origin: first.origin,
    port,
    metricsPort,
    get restarts() {
      return restarts
    },
    get pid() {
      return current?.process.pid
    },
    isReady: (slowness) =>
      fetch(`http://127.0.0.1:${port}/readyz`, {
        signal: AbortSignal.timeout(Math.ceil(2_000 * slowness)),
      }).then(
        ({ status }) => status === 200,
        () => false,
      ),
    signal: (signal) => void current?.process.kill(signal),
    async restart(changes) {
      wanted = { ...options, ...changes }
      await stopCurrent()
      await start()
    },
    stop,
  }
}
