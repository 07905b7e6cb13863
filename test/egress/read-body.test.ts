import { expect } from 'chai'
import { Readable } from 'node:stream'
import { decodeText, readBytes } from '../../core/common/read-body.ts'

describe('the body of a response', () => {
  it('is aborted if too large, even if the stream never ends', async () => {
    const chunk = Buffer.alloc(1_048_576)
    const endless = new Readable({
      read() {
        this.push(chunk)
      },
      destroy() {},
    })
    const error: unknown = await readBytes(endless).catch((reason: unknown) => reason)
    expect(error).to.include({ code: 'response_too_large' })
  })

  it('fails if the stream broke before it was read', async () => {
    const broken = new Readable({ read() {} })
    broken.on('error', () => {})
    broken.destroy(new Error('cut off'))
    await new Promise((resolve) => broken.once('close', resolve))
    const error: unknown = await readBytes(broken).catch((reason: unknown) => reason)
    expect(error).to.include({ message: 'cut off' })
  })

  it('is read without its byte order mark, each time', async () => {
    for (let count = 0; count < 2; count++) {
      const stream = Readable.from([Buffer.from([0xef, 0xbb, 0xbf]), Buffer.from('{}')], {
        objectMode: false,
      })
      expect(decodeText(await readBytes(stream), 'application/json')).to.equal('{}')
    }
  })
})
