import { expect } from 'chai'
import { globSync, readFileSync } from 'node:fs'
import { basename, join } from 'node:path'

const root = join(import.meta.dirname, '../..')

describe('hunting queries of the shipped playbooks', () => {
  const queries = globSync(join(root, 'playbooks/*.yaml')).flatMap((file) =>
    readFileSync(file, 'utf8')
      .split(/^ *- /m)
      .filter((step) => /uses: endpoint_security\.run_advanced_query$/m.test(step))
      .map((step) => ({ file: basename(file), step })),
  )

  it('exist', () => {
    expect(queries.length).to.be.greaterThan(4)
  })

  it('request one row more than used, so that `truncated` is true if there are more', () => {
    for (const { file, step } of queries) {
      const asked = Number(/\| take (\d+)/.exec(step)?.[1])
      const taken = Number(/max_rows: (\d+)/.exec(step)?.[1])
      expect(asked, `${file}:\n${step}`).to.equal(taken + 1)
    }
  })
})
