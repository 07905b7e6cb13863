import { expect } from 'chai'
import { apiClient } from '../../cli/api-client.ts'
import { serveHttp } from '../egress/servers.ts'

describe('the API client of commands', () => {
  it('sends back the cookies of a balancer, so that its requests stay at one node', async () => {
    const seen: (string | undefined)[] = []
    const balancer = await serveHttp(({ headers }, response) => {
      seen.push(headers.cookie)
      const node = `node${Math.min(seen.length, 2)}`
      response.setHeader('set-cookie', [`tocsin_node=${node}; Path=/; HttpOnly`, 'Session=other; Path=/'])
      response.end('{}')
    })
    try {
      const client = apiClient(balancer.url, 'toc_key')
      for (const path of ['/nodes', '/backtests/1', '/backtests/1']) await client.get(path)
      expect(seen).to.deep.equal([
        'Session=toc_key',
        'Session=toc_key; tocsin_node=node1',
        'Session=toc_key; tocsin_node=node2',
      ])
    } finally {
      await balancer.close()
    }
  })
})
