import root from 'tap'
import { type RunningService, startService } from './service.js'

let service: Promise<RunningService> | undefined

/** A service on its defaults for all files of this process that only send requests. It stops when the run ends. */
export function sharedService(): Promise<RunningService> {
  service ??= startService().then((started) => {
    root.teardown(() => started.stop())
    return started
  })
  return service
}
