import { importQuick } from './import-group.js'

await importQuick(1)
