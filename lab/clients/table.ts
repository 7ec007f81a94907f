/** The results of a program, as docs/clients.md has them. */
export interface ClientSection {
  /** Empty when the program has never run. */
  readonly version: string
  /** By step: `works`, `works with OPTION` or `cannot: REASON`, perhaps after "not run (…); before: ". */
  readonly results: ReadonlyMap<string, string>
}

const introduction = `# Programs that call the service

\`npm run clients\` runs the programs of \`lab/clients/\` and writes this file. Each program is an unmodified release of a library or tool that calls a development chain with one block a second. A step *works*, *works with* an option, or *cannot* work for the reason that follows. A result that gets worse fails the run.

[integrator.md](integrator.md) says what these results mean for programs of your own.
`

const notRun = /^not run \(.*?\); before: /

/** Reads docs/clients.md: the sections by the name of their folder. */
export function parseClients(text: string): ReadonlyMap<string, ClientSection> {
  const sections = text.split(/^## /m).slice(1)
  return new Map(
    sections.map((section) => {
      const [name = ''] = section.split('\n')
      const rows = [...section.matchAll(/^\| (.+?) \| (.+) \|$/gm)].slice(2)
      const results = new Map(rows.map(([, step = '', result = '']) => [step, result]))
      return [name, { version: /^Version (\S+)\.$/m.exec(section)?.[1] ?? '', results }]
    }),
  )
}

/** Writes docs/clients.md, in the order of the names. */
export function formatClients(
  names: readonly string[],
  sections: ReadonlyMap<string, ClientSection>,
): string {
  const texts = names.map((name) => {
    const { version = '', results = new Map<string, string>() } = sections.get(name) ?? {}
    const rows = [...results].map(([step, result]) => `| ${step} | ${result} |\n`).join('')
    const heading = version === '' ? `## ${name}\n` : `## ${name}\n\nVersion ${version}.\n`
    return `${heading}\n| step | result |\n| --- | --- |\n${rows}`
  })
  return [introduction, ...texts].join('\n')
}

/** The section of a program that was not run: its results stay, and say so. */
export function markNotRun(before: ClientSection | undefined, missing: string): ClientSection {
  const mark = `not run (${missing} is missing)`
  const results = [...resultsOf(before)].map(
    ([step, result]) => [step, `${mark}; before: ${result}`] as const,
  )
  return {
    version: before?.version ?? '',
    results: new Map(results.length > 0 ? results : [['all steps', mark]]),
  }
}

/** The results that failed or are worse than before, each as a sentence. A step that is not reported has failed. */
export function worseResults(before: ClientSection | undefined, now: ClientSection): readonly string[] {
  const old = resultsOf(before)
  return [...new Set([...now.results.keys(), ...old.keys()])].flatMap((step) => {
    const result = now.results.get(step) ?? 'failed'
    const known = old.get(step)
    if (rankOf(result) <= (known === undefined ? ranks.length - 1 : rankOf(known))) return []
    return [`${step}: ${result}${known === undefined ? '' : `; before: ${known}`}`]
  })
}

/** The results of the last run in which a program ran. */
function resultsOf(section: ClientSection | undefined): ReadonlyMap<string, string> {
  const results = [...(section?.results ?? [])].map(
    ([step, text]) => [step, text.replace(notRun, '')] as const,
  )
  return new Map(results.filter(([, result]) => !result.startsWith('not run (')))
}

const ranks = [/^works$/, /^works with ./, /^cannot: ./]

/** 0 for what works, 1 with an option, 2 for what cannot work, 3 for all else. */
function rankOf(result: string): number {
  const rank = ranks.findIndex((pattern) => pattern.test(result))
  return rank < 0 ? ranks.length : rank
}
