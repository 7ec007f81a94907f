import t from 'tap'
import { startService } from '../../support/service.js'

/** The service of the guides' examples. */
export const service = await startService()
t.teardown(() => service.stop())
