import t from 'tap'
import { judgeMeasure, measuresOf, type Sample } from '../../../lab/soak/measures.js'

/** The samples of 30 minutes, and those of a short run. */
const lengths = [360, 24]
const usual: Sample = { residentMemory: 400, usedHeap: 150, openFiles: 220, sockets: 70 }

/** Noise of 5 %, the same in each run, with a peak of 80 % now and then. */
function noise(at: number): number {
  const mixed = Math.imul(at + 1, 0x9e3779b1)
  const random = (Math.imul(mixed ^ (mixed >>> 15), 0x85ebca6b) >>> 0) / 2 ** 32
  return (random - 0.5) / 10 + (at % 40 === 39 ? 0.8 : 0)
}

/** Samples with noise, and one measure that grows by a part of its usual value over the whole time. */
function samplesOf(length: number, grows: keyof Sample | undefined, part: number): readonly Sample[] {
  const value = (name: keyof Sample, at: number) =>
    usual[name] * (1 + noise(at) + (name === grows ? (part * at) / (length - 1) : 0))
  return Array.from({ length }, (_, at) => ({
    residentMemory: value('residentMemory', at),
    usedHeap: value('usedHeap', at),
    openFiles: value('openFiles', at),
    sockets: value('sockets', at),
  }))
}

const growing = (samples: readonly Sample[]): readonly string[] =>
  measuresOf(samples)
    .filter((measure) => !judgeMeasure(measure).isFlat)
    .map(({ name }) => name)

const names: Readonly<Record<keyof Sample, string>> = {
  residentMemory: 'resident memory',
  usedHeap: 'used heap',
  openFiles: 'open files',
  sockets: 'sockets',
}

t.test('a measure that grows is found, and noise is not growth', async (t) => {
  for (const length of lengths) {
    t.same(growing(samplesOf(length, undefined, 0)), [], `${length} samples, flat`)
    for (const kind of Object.keys(names) as readonly (keyof Sample)[]) {
      t.same(growing(samplesOf(length, kind, 0.5)), [names[kind]], `${length} samples, ${kind} grows`)
      t.same(growing(samplesOf(length, kind, -0.5)), [], `${length} samples, ${kind} shrinks`)
    }
  }
})

t.test('growth in the warm-up is not judged', async (t) => {
  const samples = samplesOf(60, undefined, 0)
  const warm = samples.map((sample, at) => ({
    ...sample,
    usedHeap: sample.usedHeap * Math.min(1, 0.3 + at / 25),
  }))
  t.same(growing(warm), [])
})

t.test('measures without enough samples, or with one that is unknown, are not flat', async (t) => {
  t.equal(growing([]).length, 4)
  t.equal(growing(samplesOf(12, undefined, 0)).length, 4)
  const unknown = samplesOf(60, undefined, 0).with(50, { ...usual, usedHeap: Number.NaN })
  t.same(growing(unknown), ['used heap'])
})
