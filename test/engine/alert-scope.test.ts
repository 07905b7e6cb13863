import { expect } from 'chai'
import type { Alert } from '../../core/domain/alert.ts'
import { alertScope } from '../../core/engine/scope/alert-scope.ts'

const alertOf = (content: string) => ({ id: 'a-b-1', content, createdAtSource: null }) as unknown as Alert
const dataOf = (alert: Alert) => alertScope(alert).data

describe('the scope of an alert', () => {
  it('parses a small content once for everything that reads it', () => {
    const alert = alertOf('{"user":"ada"}')
    expect(dataOf(alert)).to.deep.equal({ user: 'ada' })
    expect(dataOf(alert)).to.equal(dataOf(alert))
  })

  it('belongs to one alert, also if the content of another is the same', () => {
    const [one, other] = [alertOf('{"n":1}'), alertOf('{"n":1}')]
    expect(dataOf(one)).not.to.equal(dataOf(other))
    expect(alertScope({ ...one, id: 'a-b-2' }).id).to.equal('a-b-2')
  })

  it('is not kept if the content is large', () => {
    const alert = alertOf(JSON.stringify({ text: 'x'.repeat(20_000) }))
    expect(dataOf(alert)).not.to.equal(dataOf(alert))
  })

  it('is kept for the last alerts only, by the size and number of their contents', () => {
    for (const [count, length] of [
      [70, 16_000],
      [600, 1],
    ] as const) {
      const first = alertOf('{"n":1}')
      const data = dataOf(first)
      const last = Array.from({ length: count }, () => alertOf(JSON.stringify(['x'.repeat(length)])))
      const parsed = last.map(dataOf)
      expect(dataOf(first)).not.to.equal(data)
      expect(dataOf(last.at(-1)!)).to.equal(parsed.at(-1))
    }
  })
})
