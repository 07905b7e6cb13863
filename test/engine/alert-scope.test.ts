import { expect } from 'chai'
import type { Alert } from '../../core/domain/alert.ts'
import { alertScope } from '../../core/engine/scope/alert-scope.ts'

const alertOf = (content: string) => ({ id: 'a-b-1', content, createdAtSource: null }) as unknown as Alert
const dataOf = (alert: Alert) => alertScope(alert).data

describe('the scope of an alert', () => {
  it('parses small content once for all readers', () => {
    const alert = alertOf('{"user":"ada"}')
    expect(dataOf(alert)).to.deep.equal({ user: 'ada' })
    expect(dataOf(alert)).to.equal(dataOf(alert))
  })

  it('belongs to one alert, even if another has the same content', () => {
    const [one, other] = [alertOf('{"n":1}'), alertOf('{"n":1}')]
    expect(dataOf(one)).not.to.equal(dataOf(other))
    expect(alertScope({ ...one, id: 'a-b-2' }).id).to.equal('a-b-2')
  })

  it('is not cached if the content is large', () => {
    const alert = alertOf(JSON.stringify({ text: 'x'.repeat(20_000) }))
    expect(dataOf(alert)).not.to.equal(dataOf(alert))
  })

  it('is cached for the last alerts, bounded in number and size', () => {
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
