/** The service's limit is spent: it answers nothing more, which says nothing about the case. */
export class Limited extends Error {
  override readonly name = 'Limited'

  constructor() {
    super("the service's limit is spent: it answered HTTP 429 and named no time that is worth waiting for")
  }
}
