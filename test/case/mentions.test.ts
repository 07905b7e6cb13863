import { expect } from 'chai'
import type { Account } from '../../core/access/account.ts'
import { mentionsIn, peopleFor } from '../../core/case/mentions.ts'

const account = (name: string, email: string, changes: Partial<Account> = {}): Account => ({
  uuid: email,
  email,
  name,
  roles: [{ role: 'analyst', organizationUuid: null }],
  createdAt: 1,
  createdBy: null,
  joinedAt: 2,
  disabledAt: null,
  lastUsedAt: null,
  revision: 1,
  ...changes,
})

const kim = account('Kim', 'kim@example.com')
const kimLee = account('Kim Lee', 'lee@example.com')
const bo = account('Bo', 'bo@example.com')
const named = (text: string, people = [kim, kimLee, bo]) => mentionsIn(text, people).map(({ name }) => name)

describe('mentions in a note', () => {
  it('are people by name or e-mail address, in any letter case, each once', () => {
    expect(named('@kim, @BO@EXAMPLE.COM and @Bo: look')).to.deep.equal(['Kim', 'Bo'])
    expect(mentionsIn('@bo', [bo])).to.deep.equal([{ account_id: 'bo@example.com', name: 'Bo' }])
  })

  it('take the longest name, and whole words only', () => {
    expect(named('@Kim Lee')).to.deep.equal(['Kim Lee'])
    expect(named('@Kim Leeds')).to.deep.equal(['Kim'])
    expect(named('@kimono @bob mail kim@bo bo@kim')).to.deep.equal([])
    expect(named('(@kim) "@bo"!')).to.deep.equal(['Kim', 'Bo'])
  })

  it('are none for a name that several people have: their addresses tell them apart', () => {
    const other = account('kim', 'kim2@example.com')
    expect(named('@Kim', [kim, other])).to.deep.equal([])
    expect(mentionsIn('@kim2@example.com', [kim, other])[0]?.account_id).to.equal('kim2@example.com')
  })

  it('are bounded, whatever the text is', () => {
    const many = Array.from({ length: 80 }, (_, n) => account(`p${n}x`, `p${n}@example.com`))
    expect(named(many.map(({ name }) => `@${name}`).join(' '), many)).to.have.length(50)
    expect(named('@'.repeat(10_000))).to.deep.equal([])
    for (const text of ['', '@', 'İ@kim', '@\u202Ekim', '@__proto__']) expect(named(text)).to.deep.equal([])
  })
})

describe('the people of an organization', () => {
  it('are active accounts that may act on its cases, by name', () => {
    const roles = (role: string, organizationUuid: string | null) => ({ roles: [{ role, organizationUuid }] })
    const accounts = [
      account('Zoe', 'z@e', roles('admin', null)),
      account('Ann', 'a@e', roles('analyst', 'acme')),
      account('Reader', 'r@e', roles('reader', null)),
      account('Elsewhere', 'e@e', roles('analyst', 'globex')),
      account('Invited', 'i@e', { joinedAt: null }),
      account('Gone', 'g@e', { disabledAt: 9 }),
    ]
    expect(peopleFor(accounts, 'acme', []).map(({ name }) => name)).to.deep.equal(['Ann', 'Zoe'])
  })
})
