/** The run was told to stop; nothing more is sent. */
export class Interrupted extends Error {
  override readonly name = 'Interrupted'

  constructor() {
    super('the run was stopped')
  }
}
