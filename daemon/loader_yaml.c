/* SPDX-License-Identifier: Apache-2.0 */
/* Two passes: events first, for what the document API cannot tell (aliases, tags, a second document) and to
 * bound depth and nodes before anything is built; then the document. */
#include "daemon/loader_yaml.h"

#include <errno.h>

#define DEPTH_MAX 16
#define NODES_MAX 100000

struct shape {
        size_t depth, nodes, documents;
        bool ended;
};

static const yaml_char_t *event_tag(const yaml_event_t *event)
{
        switch (event->type) {
        case YAML_SCALAR_EVENT:
                return event->data.scalar.tag;
        case YAML_SEQUENCE_START_EVENT:
                return event->data.sequence_start.tag;
        case YAML_MAPPING_START_EVENT:
                return event->data.mapping_start.tag;
        default:
                return NULL;
        }
}

static void count_event(struct problems *p, struct shape *shape, const yaml_event_t *event)
{
        switch (event->type) {
        case YAML_DOCUMENT_START_EVENT:
                if (++shape->documents > 1)
                        problems_add(p, &event->start_mark, "a second document; one file holds one");
                shape->ended = shape->documents > 1;
                break;
        case YAML_ALIAS_EVENT:
                problems_add(p, &event->start_mark, "aliases are not accepted; write the value out");
                break;
        case YAML_SEQUENCE_START_EVENT:
        case YAML_MAPPING_START_EVENT:
                shape->nodes++;
                shape->depth++;
                break;
        case YAML_SEQUENCE_END_EVENT:
        case YAML_MAPPING_END_EVENT:
                shape->depth--;
                break;
        case YAML_SCALAR_EVENT:
                shape->nodes++;
                break;
        case YAML_STREAM_END_EVENT:
                shape->ended = true;
                break;
        default:
                break;
        }
}

static void check_limits(struct problems *p, struct shape *shape, const yaml_event_t *event)
{
        if (event_tag(event))
                problems_add(p, &event->start_mark, "tags are not accepted; write the plain value");
        if (shape->depth > DEPTH_MAX) {
                problems_add(p, &event->start_mark, "nested too deeply; at most %d levels", DEPTH_MAX);
                shape->ended = true;
        } else if (shape->nodes > NODES_MAX) {
                problems_add(p, &event->start_mark, "too many values; at most %d", NODES_MAX);
                shape->ended = true;
        }
}

static void report_yaml(struct problems *p, const yaml_parser_t *parser)
{
        if (parser->error == YAML_MEMORY_ERROR)
                p->no_memory = true;
        else if (parser->error == YAML_READER_ERROR)
                problems_add(
                        p, NULL, "not UTF-8 text: %s at byte %zu", parser->problem, parser->problem_offset);
        else
                problems_add(p, &parser->problem_mark, "not YAML: %s%s%s", parser->problem,
                        parser->context ? " " : "", parser->context ? parser->context : "");
}

static bool start_parser(struct problems *p, yaml_parser_t *parser, const char *text, size_t len)
{
        if (!yaml_parser_initialize(parser)) {
                p->no_memory = true;
                return false;
        }
        yaml_parser_set_encoding(parser, YAML_UTF8_ENCODING);
        yaml_parser_set_input_string(parser, (const unsigned char *)text, len);
        return true;
}

static void check_shape(struct problems *p, const char *text, size_t len)
{
        struct shape shape = { 0 };
        yaml_parser_t parser;
        yaml_event_t event;

        if (!start_parser(p, &parser, text, len))
                return;
        while (!shape.ended) {
                if (!yaml_parser_parse(&parser, &event)) {
                        report_yaml(p, &parser);
                        break;
                }
                count_event(p, &shape, &event);
                check_limits(p, &shape, &event);
                yaml_event_delete(&event);
        }
        if (problems_result(p) == 0 && shape.documents == 0)
                problems_add(p, NULL, "empty; expected at least one key, or {}");
        yaml_parser_delete(&parser);
}

int loader_yaml_read(struct problems *p, const char *text, size_t len, yaml_document_t *ret)
{
        yaml_parser_t parser;

        check_shape(p, text, len);
        if (problems_result(p) < 0 || !start_parser(p, &parser, text, len))
                return problems_result(p);
        if (!yaml_parser_load(&parser, ret))
                report_yaml(p, &parser);
        yaml_parser_delete(&parser);
        return problems_result(p);
}
