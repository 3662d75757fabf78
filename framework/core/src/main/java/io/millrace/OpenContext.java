package io.millrace;

/** What a function gets when it is opened. Reserved for settings that later versions hand over. */
public interface OpenContext {}
