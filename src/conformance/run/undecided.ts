/** What came says nothing about the case, whatever the case expects. */
export class Undecided extends Error {
  override readonly name = 'Undecided'
}
