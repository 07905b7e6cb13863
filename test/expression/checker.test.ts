import { expect } from 'chai'
import {
  compileExpression,
  dyn,
  list,
  nullable,
  object,
  optional,
  string,
  typeOfSchema,
} from '../../core/expression/index.ts'
import { names, problems, typeOf } from './checked.ts'

describe('checking expressions', () => {
  describe('enumerations', () => {
    it('finds misspelled members and suggests a similar one', () => {
      expect(problems('b.status == "confimed"')).to.deep.equal([
        `not_in_enum: "confimed": 'confimed' is not one of confirmed, cancelled, pending (did you mean 'confirmed'?)`,
      ])
    })

    it('finds them in lists, in ternaries and on the left', () => {
      expect(problems('b.status in ["pending", "canceled"]')).to.have.length(1)
      expect(problems('"x" != b.status')).to.have.length(1)
      expect(problems('(b.score > 1.0 ? b.status : "none") == "non"')).to.have.length(1)
    })

    it('warns about numbers that are not members, and no others', () => {
      const level = typeOfSchema({ enum: [1, 2, 3.5] })
      const names = { level, maybe: typeOfSchema({ enum: [1, null] }), levels: list(level), any: dyn }
      const doubts = (source: string) => {
        const { program, doubts } = compileExpression(source, names)
        expect(program, source).to.not.equal(undefined)
        return doubts.map(({ code, message }) => `${code}: ${message}`)
      }
      expect(doubts('level == 4')).to.deep.equal(['number_not_in_enum: 4 is not one of 1, 2, 3.5'])
      for (const source of ['level != 3', '4 == level', 'level in [1, 4]', '4 in levels', 'maybe == 2'])
        expect(doubts(source), source).to.have.length(1)
      for (const source of [
        'level == 3.5 || level == 1.0 || maybe == null || level in [1, 2] || 2 in levels',
        'level + 1 == 4 || -level == 4 || level > 7 || level == any || any == 4',
      ])
        expect(doubts(source), source).to.deep.equal([])
    })

    it('accepts members, and two literals', () => {
      expect(problems('b.status == "pending" || "a" == "b" || "a" in ["b"]')).to.deep.equal([])
    })
  })

  describe('fields that may be missing', () => {
    const missing =
      'optional_field: b.note: b.note may be missing (guard it with has(b.note), or give a default: b.?note.orValue(…))'

    it('need a guard', () => {
      expect(problems('b.note.size() > 1')).to.deep.equal([missing])
      expect(problems('b["note"].size() > 1')).to.have.length(1)
    })

    it('are guarded by has, also in later terms', () => {
      expect(problems('has(b.note) && b.note.size() > 1')).to.deep.equal([])
      expect(problems('!has(b.note) || b.note.size() > 1')).to.deep.equal([])
      expect(problems('has(b.note) ? b.note : "none"')).to.deep.equal([])
      expect(problems('!has(b.note) ? "none" : b.note')).to.deep.equal([])
      expect(problems('"note" in b && b.note != ""')).to.deep.equal([])
      expect(problems('b.?note.hasValue() && b.note != ""')).to.deep.equal([])
      expect(problems('has(b.parent) && has(b.parent.label) && b.parent.label == b.parent.id')).to.deep.equal(
        [],
      )
    })

    it('are not guarded by has on the wrong side', () => {
      expect(problems('b.note.size() > 1 && has(b.note)')).to.deep.equal([missing])
      expect(problems('has(b.note) || b.note.size() > 1')).to.deep.equal([missing])
      expect(problems('has(b.note) ? 1 : b.note.size()')).to.deep.equal([missing])
    })

    it('may be read with .? and a default', () => {
      expect(problems('b.?parent.label.orValue("none") == b.?note.orValue("")')).to.deep.equal([])
      expect(typeOf('b.?parent.label')).to.equal('optional(string)')
    })

    it('are present after a filter that checks them', () => {
      expect(problems('b.rows.map(r, r.tag)')).to.have.length(1)
      expect(problems('b.rows.filter(r, has(r.tag)).map(x, x.tag)')).to.deep.equal([])
      expect(problems('b.rows.map(r, has(r.tag), r.tag)')).to.deep.equal([])
    })

    it('do not inherit the guard of a shadowed variable', () => {
      expect(problems('has(b.note) && b.rows.all(b, b.tag != "")')).to.have.length(1)
      const hidden = 'cel.bind(i, 0, has(b.rows[i].tag) && [1].all(i, b.rows[i].tag != ""))'
      expect(problems(hidden)).to.have.length(1)
    })

    it('are guarded at one position of a list, by index or name', () => {
      expect(problems('has(b.rows[0].tag) ? b.rows[0].tag : ""')).to.deep.equal([])
      expect(problems('has(b.rows[b.count].tag) ? b.rows[b.count].tag : ""')).to.deep.equal([])
      expect(problems('has(b.rows[0].tag) ? b.rows[1].tag : ""')).to.have.length(1)
      expect(problems('has(b.rows[b.count].tag) ? b.rows[b.score].tag : ""')).to.have.length(1)
    })

    it('are guarded by external facts', () => {
      const { whenTrue } = compileExpression('has(b.note)', names)
      expect(problems('b.note', { given: whenTrue })).to.deep.equal([])
      const { whenFalse } = compileExpression('b.owner == null', names)
      expect(problems('b.owner.name', { given: whenFalse })).to.deep.equal([])
    })
  })

  describe('values that may be null', () => {
    it('need a comparison first', () => {
      expect(problems('b.owner.name == "x"')).to.deep.equal([
        'nullable: b.owner: b.owner may be null (check b.owner != null first)',
      ])
      expect(problems('b.owner != null && b.owner.name == "x"')).to.deep.equal([])
      expect(problems('b.owner == null || b.owner.name == "x"')).to.deep.equal([])
      expect(problems('b.owner == null ? "" : b.owner.name')).to.deep.equal([])
      expect(problems('b.owners[0] != null && b.owners[0].name == "x"')).to.deep.equal([])
      expect(problems('b.owners[0] != null && b.owners[1].name == "x"')).to.have.length(1)
    })

    it('are distinguished from values that are never null', () => {
      expect(problems('b.count == null')).to.deep.equal([
        'wrong_type: b.count == null: b.count is never null (leave out the comparison; check an optional field with has(…))',
      ])
    })

    it('need two checks if they may also be missing', () => {
      const names = { d: object({ u: optional(nullable(object({ mail: string }))) }) }
      const check = (source: string) => compileExpression(source, names).problems.map(({ hint }) => hint)
      expect(check('d.?u.mail.orValue("x")')).to.deep.equal(['it may exist and be null: write d.?u.?…'])
      expect(check('has(d.u) && d.u != null ? d.u.mail : "x"')).to.deep.equal([])
    })

    it('are replaced by ofNonZeroValue, not by orValue', () => {
      expect(problems('b.?level.orValue(0) > 70')).to.deep.equal([
        'nullable: b.?level.orValue(0): b.?level.orValue(0) may be null (it may exist and be null: write has(b.level) && b.level != null ? b.level : 0)',
      ])
      expect(problems('(has(b.level) && b.level != null ? b.level : 0) > 70')).to.deep.equal([])
      expect(problems('(b.level == null ? 0 : b.level) > 70')).to.have.length(1)
      expect(problems('optional.ofNonZeroValue(b.owner).name.orValue("none").size() > 1')).to.deep.equal([])
    })

    it('may be compared redundantly', () => {
      expect(problems('b.owner != null && b.owner == null')).to.deep.equal([])
    })
  })
})
