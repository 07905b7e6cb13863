import { expect } from 'chai'
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import * as coreErrors from '../../core/errors/errors.ts'
import * as plugin from '../../core/plugin/index.ts'
import { problemDocument } from '../../server/http/routing/problem.ts'
import { coreCodes, errorClasses, requestErrors } from '../../server/http/routing/status-table.ts'

const { TocsinError } = plugin

function classesOf(module: object): readonly string[] {
  return Object.values(module)
    .filter(
      (value): value is typeof TocsinError =>
        typeof value === 'function' && value.prototype instanceof TocsinError,
    )
    .map(({ name }) => name)
}

describe('the status table', () => {
  it('has a status for every error class of core and plugins, and no other', () => {
    const classes = [...new Set([...classesOf(coreErrors), ...classesOf(plugin)])]
    expect(classes).to.have.members(Object.keys(errorClasses))
  })

  it('has no unused code', async () => {
    const folder = fileURLToPath(new URL('../../server/http', import.meta.url))
    const files = (await readdir(folder, { recursive: true })).filter((file) => file.endsWith('.ts'))
    const others = files.filter((file) => file !== 'status-table.ts')
    const source = (await Promise.all(others.map((file) => readFile(join(folder, file), 'utf8')))).join('\n')
    const composed = new Set(['unknown_organization', 'unknown_provider'])
    const unused = Object.keys(requestErrors).filter(
      (code) => !source.includes(`'${code}'`) && !composed.has(code),
    )
    expect(unused).to.deep.equal([])
  })

  it('has only error statuses, each with a title', () => {
    for (const { status, title } of Object.values({ ...requestErrors, ...errorClasses, ...coreCodes })) {
      expect(status).to.be.within(400, 599)
      expect(title).to.match(/^[A-Z].*[^.]$/)
    }
  })

  it('maps a subclass like its parent, and an unlisted error to 500 without its message', () => {
    class Narrower extends coreErrors.NotFoundError {}
    expect(problemDocument(new Narrower('gone', 'it is gone'), 'r')).to.include({ status: 404, code: 'gone' })
    for (const error of [new TocsinError('unheard_of', 'canary'), new Error('canary'), 'canary', undefined]) {
      const problem = problemDocument(error, 'r')
      expect(problem).to.include({ status: 500, code: 'internal_error' })
      expect(JSON.stringify(problem)).to.not.include('canary')
    }
  })

  it('lists at most 50 fields', () => {
    const errors = Array.from({ length: 80 }, (_, at) => ({ pointer: `/${at}`, message: 'no' }))
    expect(problemDocument(new coreErrors.ValidationError('x', 'y', errors), 'r').errors).to.have.length(50)
  })
})
