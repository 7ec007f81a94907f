import type { FoldingOptions } from './folding.js'
import type { FoldOptions, Known } from './journals.js'
import type { Database } from './open-store.js'
import { type OwnJournal, type Remembered, sharedJournal } from './own-journal.js'

/** The statements of a journal. */
export interface JournalStatements<Entry, Rows> {
  /** Lists of what is remembered, for the statements. */
  readonly listsOf: (entries: readonly Entry[]) => Rows
  /** Adds up; gives the buckets in which there was something. */
  readonly fold: (
    db: Database,
    buckets: readonly number[],
    options: FoldOptions,
    known: Known<Rows> | undefined,
  ) => Promise<readonly number[]>
  /** Puts together what is known. */
  readonly pack: (db: Database, options: FoldOptions, known: Known<Rows>) => Promise<readonly number[]>
}

/** What is to be done for a journal from time to time: from memory, as far as this process alone has written into it. */
export function journalWork<Entry, Rows>(
  db: Database,
  journal: OwnJournal<Entry>,
  { listsOf, fold, pack }: JournalStatements<Entry, Rows>,
): Pick<FoldingOptions, 'fold' | 'pack'> {
  const known = (remembered: Remembered<Entry>) => ({ ...remembered, rows: listsOf(remembered.entries) })
  return {
    fold: (buckets, options) =>
      journal.fold(buckets, (remembered) => fold(db, buckets, options, remembered && known(remembered))),
    pack:
      journal === sharedJournal
        ? undefined
        : (buckets, options) =>
            journal.fold(buckets, async (remembered) =>
              remembered === undefined ? [] : pack(db, options, known(remembered)),
            ),
  }
}
