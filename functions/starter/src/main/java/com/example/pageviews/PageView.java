package com.example.pageviews;

import com.fasterxml.jackson.annotation.JsonProperty;
import java.time.Instant;

/**
 * A record of the stream: somebody looked at a page. A document without one of the properties is undecodable.
 *
 * @param user who it was
 * @param page the page's path
 * @param time when it was
 */
public record PageView(
        @JsonProperty(required = true) String user,
        @JsonProperty(required = true) String page,
        @JsonProperty(required = true) Instant time) {}
