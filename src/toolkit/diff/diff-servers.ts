import { joinPointer, type Server, sameJson } from '../contract/index.js'
import type { Change } from './change.js'
import { byName, change, type DiffContext } from './diff-context.js'
import { diffTexts } from './diff-texts.js'
import { shown } from './words.js'

const comparedMembers: ReadonlySet<string> = new Set(['name', 'url', 'variables'])

/** Compares the servers by name or URL (OpenRPC 1.3, server object). They concern clients only. */
export function diffServers(context: DiffContext): readonly Change[] {
  const { added, removed, kept } = byName(serverMap(context.old.servers), serverMap(context.new.servers))
  return [
    ...removed.map(([name, { pointer, url }]) =>
      change('server-removed', place(name), ['clients'], 'server removed', { old: { pointer, value: url } }),
    ),
    ...added.map(([name, { pointer, url }]) =>
      change('server-added', place(name), [], 'server added', { new: { pointer, value: url } }),
    ),
    ...kept.flatMap(({ name, old, new: next }) => [
      ...diffServer(name, old, next),
      ...diffTexts(context, { old: old.pointer, new: next.pointer, place: place(name) }, (member) =>
        comparedMembers.has(member),
      ),
    ]),
  ]
}

function place(name: string): string {
  return joinPointer('#/servers', name)
}

function serverMap(servers: readonly Server[]): ReadonlyMap<string, Server> {
  return new Map(servers.map((server) => [server.name ?? server.url, server]))
}

function diffServer(name: string, old: Server, next: Server): readonly Change[] {
  const changes: Change[] = []
  if (old.url !== next.url) {
    const reason = `URL ${shown(old.url)} became ${shown(next.url)}`
    changes.push(
      change('server-changed', place(name), ['clients'], reason, {
        old: { pointer: joinPointer(old.pointer, 'url'), value: old.url },
        new: { pointer: joinPointer(next.pointer, 'url'), value: next.url },
      }),
    )
  }
  if (!sameJson(old.variables, next.variables)) {
    const reason = 'URL variables changed: cannot tell whether clients still find the server'
    changes.push(
      change('server-changed', place(name), ['clients'], reason, {
        old: { pointer: joinPointer(old.pointer, 'variables') },
        new: { pointer: joinPointer(next.pointer, 'variables') },
        undecided: true,
      }),
    )
  }
  return changes
}
