/**
 * The client with every tool and runtime that it must work with, from the packed archives, as `npm run release` runs it.
 * The tools have about 2 GB, so this file installs them; they are no dependencies of the project.
 */
import t from 'tap'
import { packPackages } from '../../bin/pack-packages.js'
import { runMatrix } from '../../lab/matrix/run-matrix.js'
import { lineOf } from '../../lab/matrix/run-rows.js'
import { findChromium } from '../support/chromium.js'
import { temporaryFolder } from '../support/temporary-folder.js'

t.setTimeout(3_600_000)

const folder = await temporaryFolder(t)
await findChromium()
for await (const outcome of runMatrix(await packPackages(folder), folder))
  t.ok(outcome.kind === 'works' || outcome.kind === 'cannot', lineOf(outcome))
