import { expect } from 'chai'
import { viewPaths } from '../../server/http/page/view-paths.ts'
import { pages, views } from '../../server/web/views.ts'

const firstPart = (path: string): string => path.split('/')[1] ?? ''

describe('views of the web page', () => {
  it('are at the paths that the server answers with the page', () => {
    expect([...views.map(({ path }) => path), 'oauth'].toSorted()).to.deep.equal([...viewPaths].toSorted())
    expect([...new Set(pages.map(({ path }) => firstPart(path)))].toSorted()).to.deep.equal(
      [...viewPaths].toSorted(),
    )
  })

  it('have a unique shortcut', () => {
    expect(new Set(views.map(({ letter }) => letter)).size).to.equal(views.length)
  })
})
