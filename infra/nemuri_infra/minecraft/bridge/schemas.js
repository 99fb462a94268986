'use strict'

const Ajv = require('ajv/dist/2020')

/** The same schema, as strict as the contract: a dictionary has only keys of its pattern, an action has its name. */
function closed (schema) {
  if (Array.isArray(schema)) return schema.map(closed)
  if (schema === null || typeof schema !== 'object') return schema
  const inner = Object.fromEntries(Object.entries(schema).map(([name, value]) => [name, closed(value)]))
  if (inner.patternProperties && !('additionalProperties' in inner)) inner.additionalProperties = false
  const named = Object.keys(inner.properties ?? {}).filter(each => inner.properties[each]?.const !== undefined)
  if (named.length > 0) inner.required = [...new Set([...named, ...inner.required ?? []])]
  return inner
}

/** Whether some text in a value is none that everybody can hold: with a NUL, with half a character, of blanks alone. */
function unstorable (value) {
  if (typeof value === 'string') return value.includes('\0') || !value.isWellFormed() || /^\s+$/.test(value)
  if (value === null || typeof value !== 'object') return false
  return Object.entries(value).some(([name, each]) => unstorable(name) || unstorable(each))
}

/** The messages between hosts and worlds, each checked against the schema that the contract says of itself. */
class Schemas {
  /** `schemas` are JSON Schemas by the name of their message. */
  constructor (schemas) {
    const ajv = new Ajv({ strict: false, validateFormats: false, unicodeRegExp: true, useDefaults: true })
    this.checks = new Map(Object.entries(schemas).map(([name, each]) => [name, ajv.compile(closed(each))]))
  }

  /** What is wrong with a value, in one line; empty if nothing is. Puts in what was left out that has a default. */
  complaint (name, value) {
    const check = this.checks.get(name)
    if (!check) return `there is no ${name}`
    if (!check(value)) {
      const { instancePath, message } = check.errors[0]
      return `${name}${instancePath} ${message}`
    }
    return unstorable(value) ? `${name} contains text that is none` : ''
  }

  /** The value in some bytes, and what is wrong with it; empty if nothing is. */
  read (name, data) {
    let value
    try {
      value = JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(data))
    } catch (error) {
      return { complaint: `no JSON: ${error.message}` }
    }
    return { value, complaint: this.complaint(name, value) }
  }
}

module.exports = { Schemas }
