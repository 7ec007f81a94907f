export { createMock, type Mock, type ShownCall } from './create-mock.js'
