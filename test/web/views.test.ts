import { expect } from 'chai'
import { viewPaths } from '../../server/http/page/view-paths.ts'
import { pages, views } from '../../server/web/views.ts'

const firstPart = (path: string): string => path.split('/')[1] ?? ''

describe('views of the web page', () => {
  it('are at the paths that the server answers with the page', () => {
    // Without an entry in the navigation.
    const others = ['invitation', 'me', 'oauth', 'sign-in']
    expect([...views.map(({ path }) => path), ...others].toSorted()).to.deep.equal([...viewPaths].toSorted())
    // Shown without a session.
    const paths = [...pages.map(({ path }) => firstPart(path)), 'invitation', 'sign-in']
    expect([...new Set(paths)].toSorted()).to.deep.equal([...viewPaths].toSorted())
  })

  it('have a unique shortcut', () => {
    expect(new Set(views.map(({ letter }) => letter)).size).to.equal(views.length)
  })
})
