import type { Test } from 'tap'
import { integer, only, type Params, Refusal, startJsonRpc, text } from './json-rpc-server.js'

/** Mistakes that a store of notes can have. */
export const noteStoreBugs = {
  'tags-null': 'a note without tags has null instead of an empty list',
  'long-title': 'titles longer than 60 characters are accepted',
  'delete-returns-true': 'deleting returns true instead of the deleted note',
  'missing-is-null': 'a note that does not exist is null instead of an error',
  'cursor-repeats': 'a page begins with the last note of the page before',
  'default-size-ignored': 'without a size, a page contains all notes',
  'usage-after-delete': 'the bytes of a folder still contain deleted notes',
  'usage-in-characters': 'the bytes of a folder are counted in characters',
} as const

interface Note {
  readonly id: string
  readonly folder: string
  readonly title: string
  readonly text: string
  readonly tags: readonly string[]
  readonly bytes: number
}

/** Starts a store of notes in folders. Batches are answered in reverse, because any order is valid. */
export function startNoteStore(t: Test, bug?: keyof typeof noteStoreBugs): Promise<string> {
  const notes = new Map<string, Note>()
  const deletedBytes = new Map<string, number>()
  let count = 0
  const create = (folder: string, title: string, text = '', tags: readonly string[] = []): Note => {
    const note = { id: `n${++count}`, folder, title, text, tags, bytes: Buffer.byteLength(text) }
    notes.set(note.id, note)
    return note
  }
  for (const title of ['rent', 'bread', 'milk', 'eggs', 'stamps', 'paint', 'rope', 'Äpfel'])
    create('home', title, `Buy ${title}.`, ['list'])
  for (const title of ['agenda', 'minutes', 'budget'])
    create('work', title, `Draft of the ${title} – please review`)

  const shown = (note: Note) =>
    bug === 'tags-null' && note.tags.length === 0 ? { ...note, tags: null } : note
  const summary = ({ id, title, bytes }: Note) => ({ id, title, bytes })
  const found = (params: Params): Note | undefined => {
    only(params, 'id')
    const note = notes.get(text(params, 'id', 20, 1))
    if (note === undefined && bug !== 'missing-is-null') throw new Refusal(404, 'No such note')
    return note
  }
  const tagsOf = ({ tags = [] }: Params): readonly string[] => {
    const isList = Array.isArray(tags) && tags.length <= 5
    if (!isList || !tags.every((tag) => typeof tag === 'string' && tag.length <= 20 && tag !== ''))
      throw new Refusal(-32602, 'Invalid params')
    return tags
  }
  const inFolder = (folder: string) => [...notes.values()].filter((note) => note.folder === folder)
  const byTitle = (one: Note, other: Note) => (one.title < other.title ? -1 : Number(one.title > other.title))

  return startJsonRpc(
    t,
    {
      'note.create': (params) => {
        only(params, 'folder', 'title', 'text', 'tags')
        const title = text(params, 'title', bug === 'long-title' ? 100_000 : 60, 1)
        const content = params['text'] === undefined ? '' : text(params, 'text', 2000)
        return shown(create(text(params, 'folder', 20, 1), title, content, tagsOf(params)))
      },
      'note.read': (params) => {
        const note = found(params)
        return note === undefined ? null : shown(note)
      },
      'note.delete': (params) => {
        const note = found(params)
        if (note === undefined) return null
        notes.delete(note.id)
        deletedBytes.set(note.folder, (deletedBytes.get(note.folder) ?? 0) + note.bytes)
        return bug === 'delete-returns-true' ? true : shown(note)
      },
      'note.list': (params) => {
        only(params, 'folder', 'after', 'size')
        const all = inFolder(text(params, 'folder', 20, 1)).sort(byTitle)
        const isAll = bug === 'default-size-ignored' && params['size'] === undefined
        const size = params['size'] === undefined ? 4 : integer(params, 'size', 1, 50)
        const after = params['after'] === undefined ? '' : text(params, 'after', 100)
        const at = all.findIndex(({ title, id }) => `${title}\n${id}` === after)
        const start = at < 0 ? 0 : bug === 'cursor-repeats' ? at : at + 1
        const page = all.slice(start, isAll ? undefined : start + size)
        const last = page.at(-1)
        const isEnd = last === undefined || last === all.at(-1)
        return { notes: page.map(summary), next: isEnd ? null : `${last.title}\n${last.id}` }
      },
      'note.latest': (params) => {
        only(params, 'folder')
        const last = inFolder(text(params, 'folder', 20, 1)).at(-1)
        return last === undefined ? null : summary(last)
      },
      'folder.usage': (params) => {
        only(params, 'folder')
        const folder = text(params, 'folder', 20, 1)
        const size = (note: Note) => (bug === 'usage-in-characters' ? note.text.length : note.bytes)
        const deleted = bug === 'usage-after-delete' ? (deletedBytes.get(folder) ?? 0) : 0
        const own = inFolder(folder)
        return { notes: own.length, bytes: own.reduce((sum, note) => sum + size(note), deleted) }
      },
    },
    { order: (answers) => answers.toReversed() },
  )
}
