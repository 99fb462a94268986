'use strict'

const Ajv = require('ajv/dist/2020')

/**
 * Return the schema with the strictness of the contract: dictionaries have keys of their pattern only, and the name of
 * an action is required.
 */
function closed (schema) {
  if (Array.isArray(schema)) return schema.map(closed)
  if (schema === null || typeof schema !== 'object') return schema
  const inner = Object.fromEntries(Object.entries(schema).map(([name, value]) => [name, closed(value)]))
  if (inner.patternProperties && !('additionalProperties' in inner)) inner.additionalProperties = false
  const named = Object.keys(inner.properties ?? {}).filter(each => inner.properties[each]?.const !== undefined)
  if (named.length > 0) inner.required = [...new Set([...named, ...inner.required ?? []])]
  return inner
}

/** Return whether a value contains text that cannot be stored: with NUL, with a lone surrogate, or blank. */
function hasInvalidText (value) {
  if (typeof value === 'string') return value.includes('\0') || !value.isWellFormed() || /^\s+$/.test(value)
  if (value === null || typeof value !== 'object') return false
  return Object.entries(value).some(([name, each]) => hasInvalidText(name) || hasInvalidText(each))
}

/** Validators of the messages between hosts and worlds, by the schemas of the contract. */
class Schemas {
  /** `schemas` are JSON Schemas by message name. */
  constructor (schemas) {
    const ajv = new Ajv({ strict: false, validateFormats: false, unicodeRegExp: true, useDefaults: true })
    this.checks = new Map(Object.entries(schemas).map(([name, each]) => [name, ajv.compile(closed(each))]))
  }

  /** Return the error of a value in one line, or an empty string. Fills in defaults. */
  complaint (name, value) {
    const check = this.checks.get(name)
    if (!check) return `there is no ${name}`
    if (!check(value)) {
      const { instancePath, message } = check.errors[0]
      return `${name}${instancePath} ${message}`
    }
    return hasInvalidText(value) ? `${name} contains text that is none` : ''
  }

  /** Parse bytes. Return the value and its error, an empty string if it is valid. */
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
