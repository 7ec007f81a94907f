/** The run was told to stop; nothing more is sent. */
export class Interrupted extends Error {
  override readonly name: string = 'Interrupted'

  constructor(message = 'the run was stopped') {
    super(message)
  }
}

/** The service no longer answers: to go on would only take time. The message says how that is known. */
export class ServiceGone extends Interrupted {
  override readonly name = 'ServiceGone'
}
