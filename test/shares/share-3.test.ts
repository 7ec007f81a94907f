import { importShare } from './import-share.js'

await importShare(3)
